/** A condition on fields: rows of comparisons, or its text. */
import type { JSX } from 'preact';
import { useId, useMemo, useState } from 'preact/hooks';
import {
  type ConditionRow,
  conditionText,
  type FieldChoice,
  type Literal,
  literalKind,
  OPERATOR_WORDS,
  type Operator,
  operatorsFor,
  parseRows,
  type RowCondition,
  valueCount,
} from '../model/condition.ts';
import { valuesOfField } from '../model/source-fields.ts';

const EMPTY_ROW: ConditionRow = { field: '', operator: '=', values: [] };

/** Rows that are not complete stay in the control; the condition has the others. */
export function ConditionControl(props: {
  readonly label: string;
  readonly value: unknown;
  readonly fields: readonly FieldChoice[];
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const { value, fields, onChange } = props;
  const [draft, setDraft] = useState<{
    readonly text: string | undefined;
    readonly condition: RowCondition;
  } | null>(null);
  const [wantsText, setWantsText] = useState(false);
  const parsed = useMemo(() => rowsOf(value), [value]);
  // After an undo the draft is of another text.
  const condition = draft !== null && draft.text === value ? draft.condition : parsed;
  const isText = wantsText || condition === null;
  const edit = (next: RowCondition) => {
    const text = conditionText(next);
    setDraft({ text, condition: next });
    if (text !== value) onChange(text);
  };
  return (
    <div class="condition">
      {isText ? (
        <ConditionText label={props.label} value={value} onChange={onChange} />
      ) : (
        <Rows condition={condition} fields={fields} onChange={edit} />
      )}
      <div class="actions">
        {!isText && (
          <button type="button" onClick={() => edit({ ...condition, rows: [...condition.rows, EMPTY_ROW] })}>
            Add a condition
          </button>
        )}
        {parsed !== null && (
          <button type="button" class="link" onClick={() => setWantsText(!wantsText)}>
            {isText ? 'As a list' : 'As text'}
          </button>
        )}
        {parsed === null && (
          <span class="soft">This condition is shown as text: it is more than a list of comparisons.</span>
        )}
      </div>
    </div>
  );
}

/** Null: it cannot be shown as rows. */
function rowsOf(value: unknown): RowCondition | null {
  if (value === undefined || value === '') return { join: 'and', rows: [EMPTY_ROW] };
  return typeof value === 'string' ? parseRows(value) : null;
}

/** An object is the form of a condition in JSON. */
function ConditionText(props: {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const { value } = props;
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <textarea
      aria-label={props.label}
      rows={3}
      spellcheck={false}
      placeholder="pop > 10 and name like 'A%'"
      value={text}
      onInput={({ currentTarget }) => {
        const next = currentTarget.value;
        props.onChange(next.trim() === '' ? undefined : (objectIn(next) ?? next));
      }}
    />
  );
}

function objectIn(text: string): object | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    // Half typed: as text, the service says what is wrong.
    return null;
  }
}

function Rows(props: {
  readonly condition: RowCondition;
  readonly fields: readonly FieldChoice[];
  readonly onChange: (condition: RowCondition) => void;
}): JSX.Element {
  const { condition, fields, onChange } = props;
  const { rows, join } = condition;
  const id = useId();
  return (
    <>
      {rows.length > 1 && (
        <div class="join">
          <label for={id}>Features that meet</label>
          <select
            id={id}
            value={join}
            onChange={({ currentTarget }) =>
              onChange({ rows, join: currentTarget.value as RowCondition['join'] })
            }
          >
            <option value="and">all conditions</option>
            <option value="or">any condition</option>
          </select>
        </div>
      )}
      {rows.map((row, i) => (
        <Row
          key={i}
          number={i + 1}
          row={row}
          fields={fields}
          onChange={(next) => onChange({ join, rows: rows.with(i, next) })}
          onRemove={
            rows.length === 1 && row === EMPTY_ROW
              ? null
              : () => onChange({ join, rows: rows.length === 1 ? [EMPTY_ROW] : rows.toSpliced(i, 1) })
          }
        />
      ))}
    </>
  );
}

function Row(props: {
  readonly number: number;
  readonly row: ConditionRow;
  readonly fields: readonly FieldChoice[];
  readonly onChange: (row: ConditionRow) => void;
  readonly onRemove: (() => void) | null;
}): JSX.Element {
  const { row, fields, number, onChange } = props;
  const { field, operator, values } = row;
  const type = fields.find(({ name }) => name === field)?.type ?? null;
  const operators = operatorsFor(type);
  const names = fields.map(({ name }) => name);
  const count = valueCount(operator);
  const chooseField = (name: string) => {
    const next = fields.find((one) => one.name === name)?.type ?? null;
    const kind = literalKind(next);
    const isSameKind = values.every((one) => one.kind === kind);
    const allowed = operatorsFor(next).includes(operator);
    onChange({
      field: name,
      operator: allowed ? operator : '=',
      values: isSameKind && allowed ? values : [],
    });
  };
  const chooseOperator = (next: Operator) => {
    const wanted = valueCount(next);
    onChange({ field, operator: next, values: wanted === null ? values : values.slice(0, wanted) });
  };
  return (
    <div class="condition-row" role="group" aria-label={`Condition ${number}`}>
      {names.length === 0 ? (
        <input
          type="text"
          dir="auto"
          aria-label="Field"
          placeholder="Field"
          value={field}
          onInput={({ currentTarget }) => onChange({ ...row, field: currentTarget.value })}
        />
      ) : (
        <select
          aria-label="Field"
          value={field}
          onChange={({ currentTarget }) => chooseField(currentTarget.value)}
        >
          {field === '' && <option value="">Choose a field…</option>}
          {(field === '' || names.includes(field) ? names : [field, ...names]).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="Comparison"
        value={operator}
        onChange={({ currentTarget }) => chooseOperator(currentTarget.value as Operator)}
      >
        {(operators.includes(operator) ? operators : [operator, ...operators]).map((one) => (
          <option key={one} value={one}>
            {OPERATOR_WORDS[one]}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="remove"
        aria-label={`Remove condition ${number}`}
        disabled={props.onRemove === null}
        onClick={() => props.onRemove?.()}
      >
        ✕
      </button>
      {field !== '' && count !== 0 && (
        <Values
          row={row}
          type={type}
          count={count ?? Math.max(1, values.length)}
          isOpen={count === null}
          onChange={(next) => onChange({ ...row, values: next })}
        />
      )}
    </div>
  );
}

function Values(props: {
  readonly row: ConditionRow;
  readonly type: string | null;
  readonly count: number;
  /** Whether there can be more values. */
  readonly isOpen: boolean;
  readonly onChange: (values: readonly Literal[]) => void;
}): JSX.Element {
  const { row, type, count, isOpen, onChange } = props;
  const { values, field } = row;
  const list = useId();
  const suggestions = useMemo(() => valuesOfField(field), [field]);
  const kind = literalKind(type);
  const set = (i: number, text: string) => {
    const filled = Array.from(
      { length: Math.max(values.length, i + 1) },
      (_, j) => values[j] ?? { kind, text: '' },
    );
    // Number fields that are cleared, and texts of which nothing was ever typed, are missing values.
    const next = filled.with(i, { kind, text });
    onChange(kind === 'text' ? next : trimmed(next));
  };
  const labels = row.operator.endsWith('between') ? ['From', 'To'] : [];
  return (
    <div class="condition-values">
      <datalist id={list}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      {Array.from({ length: count }, (_, i) => (
        <ValueField
          key={i}
          label={labels[i] ?? (count > 1 || isOpen ? `Value ${i + 1}` : 'Value')}
          value={values[i]}
          kind={kind}
          type={type}
          list={suggestions.length === 0 ? undefined : list}
          onChange={(text) => set(i, text)}
        />
      ))}
      {isOpen && (
        <div class="actions">
          <button
            type="button"
            disabled={values.length < count}
            onClick={() => onChange([...values, { kind, text: '' }])}
          >
            Add a value
          </button>
          {values.length > 1 && (
            <button type="button" onClick={() => onChange(values.slice(0, -1))}>
              Remove the last
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** Without empty values at the end. */
function trimmed(values: readonly Literal[]): readonly Literal[] {
  const last = values.findLastIndex(({ text }) => text !== '');
  return values.slice(0, last + 1);
}

const EXAMPLES: Readonly<Record<string, string>> = { date: '2020-01-31', datetime: '2020-01-31T12:00:00Z' };

function ValueField(props: {
  readonly label: string;
  readonly value: Literal | undefined;
  readonly kind: Literal['kind'];
  readonly type: string | null;
  readonly list: string | undefined;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const { label, value, kind, onChange } = props;
  if (kind === 'boolean')
    return (
      <select
        aria-label={label}
        value={value?.text ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {value === undefined && <option value="">Choose…</option>}
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  // A text that a number field is compared with is shown as it is.
  const isNumber = kind === 'number' && (value === undefined || value.kind === 'number');
  return (
    <input
      type={isNumber ? 'number' : 'text'}
      step="any"
      dir="auto"
      spellcheck={false}
      aria-label={label}
      placeholder={EXAMPLES[props.type ?? ''] ?? label}
      list={props.list}
      value={value?.text ?? ''}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
