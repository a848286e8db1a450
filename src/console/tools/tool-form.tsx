import type { AnyContract } from '../../../contracts/contract.ts';
import { visible } from '../../core/visible.ts';
import { Card, Csrf } from '../parts/parts.tsx';
import { type Field, inputName } from './form-args.ts';
import { Prose } from './tool-views.tsx';

interface FormProps {
  readonly contract: AnyContract;
  readonly fields: readonly Field[];
  /** The texts typed before, or those of an example, by the names of the fields in the form. */
  readonly texts: ReadonlyMap<string, string>;
  readonly csrf: string;
}

/** The names to choose from, by the field that takes one of them. */
export type Places = Readonly<Record<string, readonly string[]>>;

/** Shows a form for the tool's arguments. It runs the tool as the owner, through the door of every caller. */
export function TryIt({ contract, fields, texts, csrf, places }: FormProps & { readonly places: Places }) {
  const { wireName, approval, runsOn } = contract;
  return (
    <Card title="Try it" id="try">
      <form method="post" action={`/catalogue/${encodeURIComponent(wireName)}#result`}>
        <Csrf value={csrf} />
        {fields.map((field, at) => (
          <FieldInput
            field={field}
            at={at}
            text={texts.get(inputName(field)) ?? field.initial}
            offered={Object.hasOwn(places, field.name) ? (places[field.name] ?? []) : []}
          />
        ))}
        <p class="row loose">
          <button class="main" type="submit">
            Run it
          </button>
        </p>
        <p class="quiet small">
          It runs {runsOn === 'machine' ? 'on your machine' : 'in the gateway'} as you, with the same limits
          and ledger entry as any other call.
          {approval === 'ask' ? ' You are asked to approve it first.' : ''}
        </p>
      </form>
    </Card>
  );
}

function FieldInput({
  field,
  at,
  text,
  offered,
}: {
  readonly field: Field;
  readonly at: number;
  readonly text: string;
  readonly offered: readonly string[];
}) {
  // Number the fields, because a joined server's names may be anything and an id may not.
  const id = `arg-${at}`;
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>
        <span class="mono">{visible(field.name, 80)}</span>
        {field.required ? null : <span class="quiet small"> optional</span>}
      </label>
      {field.hint === '' ? null : (
        <p class="hint" id={hintId}>
          <Prose text={field.hint} />
          {field.kind === 'json' ? (field.takesText ? ' As JSON, or as text.' : ' As JSON.') : null}
        </p>
      )}
      <Input
        field={field}
        text={text}
        id={id}
        describedBy={field.hint === '' ? undefined : hintId}
        list={offered.length === 0 ? undefined : `${id}-list`}
      />
      {offered.length === 0 ? null : (
        <datalist id={`${id}-list`}>
          {offered.map((name) => (
            <option value={visible(name, 128)} />
          ))}
        </datalist>
      )}
    </div>
  );
}

interface InputProps {
  readonly field: Field;
  readonly text: string;
  readonly id: string;
  readonly describedBy: string | undefined;
  /** The id of the list of what may stand here. */
  readonly list: string | undefined;
}

function Input({ field, text, id, describedBy, list }: InputProps) {
  const { kind, required, choices } = field;
  const shared = { id, name: inputName(field), 'aria-describedby': describedBy };
  switch (kind) {
    case 'choice':
      return <Choice {...shared} options={required ? choices : ['', ...choices]} chosen={text} texts={{}} />;
    case 'flag':
      return (
        <Choice
          {...shared}
          options={required ? ['false', 'true'] : ['', 'false', 'true']}
          chosen={text}
          texts={{ true: 'yes', false: 'no' }}
        />
      );
    case 'number':
      return <input {...shared} type="number" step="any" required={required} value={text} />;
    case 'text':
      return (
        <input
          {...shared}
          type="text"
          required={required}
          value={text}
          list={list}
          autocomplete="off"
          spellcheck={false}
        />
      );
    default:
      // A browser drops the first line break inside this element.
      return <textarea {...shared} spellcheck={false} rows={kind === 'json' ? 4 : 6}>{`\n${text}`}</textarea>;
  }
}

function Choice({
  options,
  chosen,
  texts,
  ...rest
}: {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby': string | undefined;
  readonly options: readonly string[];
  readonly chosen: string;
  readonly texts: Readonly<Record<string, string>>;
}) {
  return (
    <select {...rest}>
      {options.map((value) => (
        <option value={value} selected={value === chosen}>
          {value === '' ? '(not set)' : (texts[value] ?? visible(value, 100))}
        </option>
      ))}
    </select>
  );
}

/** Repeats the same arguments in hidden fields, for a call that waited for a yes. */
export function SameAgain({ contract, fields, texts, csrf }: FormProps) {
  return (
    <form method="post" action={`/catalogue/${encodeURIComponent(contract.wireName)}#result`}>
      <Csrf value={csrf} />
      {fields.map((field) => {
        const text = texts.get(inputName(field));
        return text === undefined ? null : <input type="hidden" name={inputName(field)} value={text} />;
      })}
      <button type="submit">Run the approved call</button>
    </form>
  );
}
