const parameter = /([?&])mp_token=([\w.-]*)&?/;

/** The token of a link in an email, which may be empty. It leaves the address, so that no page view, bookmark or shared address has it. */
export function takeLinkToken(): string | undefined {
  const token = parameter.exec(location.search)?.[2];
  if (token === undefined) return undefined;
  const [before = '', ...hash] = location.href.split('#');
  const without = before.replace(parameter, '$1').replace(/[?&]$/, '');
  history.replaceState(history.state, '', [without, ...hash].join('#'));
  return token;
}
