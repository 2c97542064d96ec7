/** Options of a format below a heading that opens; the form is loaded when it is opened first. */
import type { ComponentProps, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { lazy } from './lazy.tsx';
import type { OptionsForm } from './options-form.tsx';

type FormProps = ComponentProps<typeof OptionsForm>;

const Form = lazy<FormProps>(async () => (await import('./options-form.tsx')).OptionsForm);

export function OptionsDetails(props: FormProps & { readonly title: string }): JSX.Element {
  const [wasOpened, setOpened] = useState(false);
  const { title, ...form } = props;
  return (
    <details
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened(true);
      }}
    >
      <summary>{title}</summary>
      {wasOpened && <Form {...form} />}
    </details>
  );
}
