/** How the text of a source is read: its encoding, chosen by eye, and the columns of a CSV. */
import type { Inspection } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import {
  missingRole,
  namesColumns,
  optionsWith,
  ROLES,
  type Role,
  rolesOf,
  withRole,
} from '../model/csv-roles.ts';
import { changeInput, type InputChoice, type Options } from '../model/document.ts';
import type { Source } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { SelectField } from './controls.tsx';

type FileText = NonNullable<Inspection['text']>;
type Table = NonNullable<FileText['table']>;

export function SourceText(props: {
  readonly input: InputChoice;
  readonly source: Source;
  readonly text: FileText;
}): JSX.Element {
  const { source, text } = props;
  const hasFailed = source.inspection.state === 'failed';
  return (
    <>
      <Encoding input={props.input} text={text} hasFailed={hasFailed} />
      {text.table !== null && <Columns input={props.input} table={text.table} hasFailed={hasFailed} />}
    </>
  );
}

function setOptions(input: InputChoice, options: Options, control: string): void {
  workspace.edit(
    (document) => changeInput(document, input.path, { options }),
    `input ${input.path} ${control}`,
  );
}

function without(options: Options, name: string): Options {
  const { [name]: _removed, ...others } = options;
  return others;
}

const ORIGINS = {
  file: 'as the file states',
  request: 'chosen here',
  content: 'guessed from the texts',
  default: 'not stated in the file',
} as const;

/** Properties of a `details` that opens when something is wrong, and stays as the user left it while the file is read again. */
function useDetails(isWrong: boolean): {
  readonly open: boolean;
  readonly onToggle: (event: { readonly currentTarget: HTMLDetailsElement }) => void;
} {
  const [open, setOpen] = useState(isWrong);
  useEffect(() => {
    if (isWrong) setOpen(true);
  }, [isWrong]);
  return { open, onToggle: ({ currentTarget }) => setOpen(currentTarget.open) };
}

/** Only for texts beyond ASCII: others read the same in every encoding. */
function Encoding(props: {
  readonly input: InputChoice;
  readonly text: FileText;
  readonly hasFailed: boolean;
}): JSX.Element | null {
  const { input, text, hasFailed } = props;
  const name = useId();
  const { candidates, encoding, origin } = text;
  const isWrong = hasFailed && candidates.length > 0 && candidates[0].encoding !== encoding;
  const details = useDetails(isWrong);
  if (candidates.length === 0) return null;
  // The choice is marked immediately; the file is read again meanwhile.
  const asked = candidates.find((candidate) => candidate.encoding === input.options.encoding);
  const shown = asked ?? candidates.find((candidate) => candidate.encoding === encoding);
  return (
    <details class="encoding" {...details}>
      <summary>
        Text: {encoding}, {ORIGINS[origin]}{' '}
        <bdi class="soft sample">{shown?.samples[0] !== undefined && `“${shown.samples[0]}”`}</bdi>
      </summary>
      {isWrong && <p class="soft">The text is not valid in {encoding}. Choose the line that reads right.</p>}
      <fieldset class="choices">
        <legend class="visually-hidden">Encoding of {input.path}</legend>
        {candidates.map((candidate) => (
          <label key={candidate.encoding}>
            <input
              type="radio"
              name={name}
              checked={candidate === shown}
              onChange={() =>
                setOptions(input, { ...input.options, encoding: candidate.encoding }, 'encoding')
              }
            />
            <span>{candidate.encoding}</span>
            <span class="samples">
              {candidate.samples.map((sample, i) => (
                <bdi key={i}>{sample}</bdi>
              ))}
            </span>
          </label>
        ))}
      </fieldset>
      {origin === 'request' && (
        <button
          type="button"
          class="link"
          onClick={() => setOptions(input, without(input.options, 'encoding'), 'encoding')}
        >
          As the file states
        </button>
      )}
    </details>
  );
}

const DELIMITERS: readonly (readonly [character: string, name: string])[] = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'pipe'],
];

function Columns(props: {
  readonly input: InputChoice;
  readonly table: Table;
  readonly hasFailed: boolean;
}): JSX.Element {
  const { input, table, hasFailed } = props;
  const { options } = input;
  const { columns, rows } = table;
  const chosen = namesColumns(options) ? options : (table.options ?? {});
  // Roles that are not complete are no options yet.
  const [draft, setDraft] = useState<readonly Role[] | null>(null);
  const roles = draft ?? rolesOf(chosen, columns);
  const missing = missingRole(roles);
  const hasPosition = roles.some((role) => role !== 'none');
  const details = useDetails(hasFailed || !hasPosition);
  const give = (column: number, role: Role) => {
    const next = withRole(roles, column, role);
    const isComplete = missingRole(next) === null;
    setDraft(isComplete ? null : next);
    if (isComplete) setOptions(input, optionsWith(options, columns, next), 'columns');
  };
  const choose = (name: string, value: unknown) =>
    setOptions(
      input,
      value === undefined ? without(options, name) : { ...options, [name]: value },
      `columns ${name}`,
    );
  const delimiter = DELIMITERS.find(([character]) => character === table.delimiter)?.[1] ?? table.delimiter;
  const given = DELIMITERS.find(([character, name]) => [character, name].includes(String(options.delimiter)));
  const used = roles.flatMap((role, i) =>
    role === 'none' ? [] : [`${columns[i]} (${role.replace('_', ', ')})`],
  );
  return (
    <details class="columns" {...details}>
      <summary>
        Columns:{' '}
        <bdi>{hasPosition ? used.join(', ') : 'no position found, give the columns their roles'}</bdi>
      </summary>
      <div class="pair">
        <SelectField
          label="Delimiter"
          value={given?.[0] ?? ''}
          choices={[['', `Found: ${delimiter}`], ...DELIMITERS]}
          onChange={(value) => choose('delimiter', value === '' ? undefined : value)}
        />
        <SelectField
          label="Decimal sign"
          value={options.decimal_comma === undefined ? '' : String(options.decimal_comma)}
          choices={[
            [
              '',
              table.options === null
                ? 'Automatic'
                : `Found: ${table.options.decimal_comma === true ? 'comma' : 'point'}`,
            ],
            ['false', 'point'],
            ['true', 'comma'],
          ]}
          onChange={(value) => choose('decimal_comma', value === '' ? undefined : value === 'true')}
        />
      </div>
      {missing !== null && (
        <p class="invalid" role="status">
          {missing}
        </p>
      )}
      {/* A region that scrolls has to be reachable by keyboard. */}
      <div class="csv-table" role="region" aria-label={`First rows of ${input.path}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Line</th>
              {columns.map((column, i) => (
                <th key={i} scope="col" class={roles[i] === 'none' ? '' : 'used'}>
                  <bdi>{column === '' ? `(column ${i + 1})` : column}</bdi>
                  <select
                    aria-label={`Role of column ${column === '' ? i + 1 : column}`}
                    value={roles[i]}
                    onChange={({ currentTarget }) => give(i, currentTarget.value as Role)}
                  >
                    {ROLES.map(([role, text]) => (
                      <option key={role} value={role}>
                        {text}
                      </option>
                    ))}
                  </select>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, cells, problem }) => (
              <tr key={line} class={problem === null ? '' : 'wrong'}>
                <th scope="row">{line}</th>
                {columns.map((_, i) => (
                  <td key={i}>
                    <bdi>{cells[i] ?? ''}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul class="notes">
        {rows.map(
          ({ line, problem }) =>
            problem !== null && (
              <li key={line} class="invalid">
                Line {line}: {problem}
              </li>
            ),
        )}
      </ul>
      {table.column_count > columns.length && (
        <p class="soft">
          The first {columns.length} of {table.column_count} columns.
        </p>
      )}
      {hasFailed && table.options !== null && options.on_error !== 'skip' && (
        <button type="button" onClick={() => choose('on_error', 'skip')}>
          Skip rows that cannot be read
        </button>
      )}
    </details>
  );
}
