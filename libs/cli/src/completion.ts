import completions from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { terminal } from './output.ts';

/**
 * For bash, instead of the script of `@bomb.sh/tab`, which needs the package bash-completion, fails when a shell reads it twice, and
 * evaluates what has been typed. Words without a suggestion are completed as files.
 */
const bashScript = `# bash completion for mp
_mp_complete() {
  local IFS=$'\\n' line word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while read -r line; do
    line="\${line%%$'\\t'*}"
    if [[ $line != :* && $line == "$word"* ]]; then COMPREPLY+=("$line"); fi
  done < <(mp complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _mp_complete mp
`;

/** A shell takes each line as a suggestion, so a description must not have several. */
const firstLine = (text: string | undefined) => text?.split('\n', 1)[0] ?? '';

/** Adds `completion`, which prints the script of a shell, and the hidden command that these scripts call. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: 'completion' });
  for (const command of [completions, ...completions.commands.values()]) {
    command.description = firstLine(command.description);
    for (const option of command.options.values()) option.description = firstLine(option.description);
  }
  const completion = program.commands.find((command) => command.name() === 'completion');
  completion
    ?.description('Print the script that completes commands and flags in your shell')
    .action((shell: string) => (shell === 'bash' ? terminal.write(bashScript) : completions.setup(program.name(), program.name(), shell)))
    .addHelpText('after', '\nExamples:\n  source <(mp completion bash)\n  source <(mp completion zsh)\n  mp completion fish | source');
}
