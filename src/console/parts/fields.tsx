import type { Child } from 'hono/jsx';
import { problemId } from './page-names.ts';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
  /** The error in the typed text. */
  readonly problem?: string | undefined;
}

interface Control {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': 'true' | undefined;
}

/** Shows a field with its name, a hint and its error, and connects them for screen readers. */
export function Field({
  name,
  label,
  hint,
  problem,
  children,
}: FieldProps & { readonly children: (control: Control) => Child }) {
  const control: Control = {
    id: name,
    name,
    'aria-describedby': hint ? `hint-${name} ${problemId(name)}` : problemId(name),
    'aria-invalid': problem ? 'true' : undefined,
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint ? (
        <p class="hint" id={`hint-${name}`}>
          {hint}
        </p>
      ) : null}
      {children(control)}
      <p class="field-problem" id={problemId(name)} hidden={!problem}>
        {problem}
      </p>
    </div>
  );
}

interface TextProps extends FieldProps {
  readonly value: string;
  readonly type?: 'text' | 'number' | 'url' | 'password';
  readonly placeholder?: string;
  readonly list?: readonly string[];
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** Shows a field for one line of text, with suggestions if there are any. */
export function TextField({
  value,
  type = 'text',
  placeholder,
  list,
  required,
  min,
  max,
  ...field
}: TextProps) {
  return (
    <Field {...field}>
      {(control) => (
        <>
          <input
            {...control}
            type={type}
            value={value}
            placeholder={placeholder}
            required={required}
            min={min}
            max={max}
            list={list ? `${field.name}-list` : undefined}
            autocomplete="off"
            spellcheck={false}
          />
          {list ? (
            <datalist id={`${field.name}-list`}>
              {list.map((option) => (
                <option value={option} />
              ))}
            </datalist>
          ) : null}
        </>
      )}
    </Field>
  );
}

/** Shows a field for several lines of text. */
export function TextArea({
  value,
  rows = 3,
  placeholder,
  ...field
}: FieldProps & { readonly value: string; readonly rows?: number; readonly placeholder?: string }) {
  return (
    <Field {...field}>
      {(control) => (
        // The parser drops one line end at the beginning, so add one for it to drop.
        <textarea {...control} rows={rows} placeholder={placeholder} spellcheck={false}>
          {`\n${value}`}
        </textarea>
      )}
    </Field>
  );
}

/** Shows a choice of one from a few. */
export function Select({
  value,
  options,
  ...field
}: FieldProps & {
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control}>
          {options.map(([option, words]) => (
            <option value={option} selected={option === value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
