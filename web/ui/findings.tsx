/** Lists of findings, by severity. */
import type { JSX } from 'preact';
import type { Finding, Severity } from '../../src/client/client.ts';

const SEVERITIES: readonly [Severity, string][] = [
  ['lost', 'Lost'],
  ['changed', 'Changed'],
  ['info', 'For information'],
];

/** `nothing`: the sentence if there are none. */
export function Findings(props: {
  readonly findings: readonly Finding[];
  readonly nothing: string;
}): JSX.Element {
  if (props.findings.length === 0) return <p class="soft">{props.nothing}</p>;
  return (
    <>
      {SEVERITIES.map(([severity, title]) => {
        const found = props.findings.filter((finding) => finding.severity === severity);
        if (found.length === 0) return null;
        return (
          <details key={severity} class={`severity ${severity}`} open={severity !== 'info'}>
            <summary>
              {title} ({found.length})
            </summary>
            <ul class="notes">
              {found.map(({ code, message }) => (
                <li key={code + message}>{message}</li>
              ))}
            </ul>
          </details>
        );
      })}
    </>
  );
}
