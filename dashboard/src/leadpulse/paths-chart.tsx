import { VisuallyHidden } from '@mantine/core';
import { eventLabel } from '../names/event-labels.ts';
import { count, counted } from '../numbers/format-number.ts';
import { pathsLayout } from './paths-layout.ts';
import classes from './report-charts.module.css';
import type { PathsResult } from './reports.ts';

const nameOf = (node: string | null) => (node === null ? 'All others' : eventLabel(node));
const maxName = 26;
const short = (name: string) => (name.length > maxName ? `${name.slice(0, maxName - 1)}…` : name);

/** The paths as bands between the nodes of their steps, and as a table for screen readers. */
export function PathsChart({ steps, direction }: Pick<PathsResult, 'steps' | 'direction'>) {
  const { nodes, links, nodeWidth, width, height } = pathsLayout({ steps });
  return (
    <>
      <div className={classes.scroll} aria-hidden>
        <svg className={classes.paths} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="presentation">
          {links.map(({ key, path, width: thickness, sessions }) => (
            <path key={key} d={path} strokeWidth={Math.max(1, thickness)} className={classes.link}>
              <title>{counted(sessions, 'visit')}</title>
            </path>
          ))}
          {nodes.map(({ step, name, sessions, ended, x, y, height: tall }) => (
            <g key={`${step} ${name}`}>
              <rect x={x} y={y} width={nodeWidth} height={tall} className={classes.node}>
                <title>{`${nameOf(name)}: ${counted(sessions, 'visit')}, ${count(ended)} ${direction === 'backward' ? 'began' : 'ended'} here`}</title>
              </rect>
              <text x={x + nodeWidth + 6} y={y + Math.min(tall / 2, 12) + 4} className={classes.label}>
                {short(nameOf(name))} · {count(sessions)}
              </text>
            </g>
          ))}
        </svg>
      </div>
      <VisuallyHidden>
        <table>
          <caption>{direction === 'backward' ? 'Paths, traced backwards from the end' : 'Paths'}</caption>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Page or event</th>
              <th scope="col">Visits</th>
              <th scope="col">{direction === 'backward' ? 'Began here' : 'Ended here'}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ step, name, sessions, ended }) => (
              <tr key={`${step} ${name}`}>
                <td>{step}</td>
                <th scope="row">{nameOf(name)}</th>
                <td>{count(sessions)}</td>
                <td>{count(ended)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}
