import { KEY, WAITING } from './page-names.ts';

type Link = readonly [label: string, href: string];

/** One of the owner's subjects: its page, the letter that leads there after `g`, and the pages that belong to it. */
interface Section {
  readonly link: Link;
  readonly key: string;
  readonly within?: readonly Link[];
}

/** The owner's pages. A page finds its own link because its title equals the label here. */
export const sections: readonly Section[] = [
  { link: ['Home', '/'], key: 'h' },
  { link: ['Approvals', '/approvals'], key: 'a', within: [['Rules', '/rules']] },
  { link: ['Ledger', '/ledger'], key: 'l' },
  { link: ['Memory', '/memory'], key: 'm', within: [['Repo', '/repo']] },
  { link: ['Machines', '/machines'], key: 'c' },
  // `/tools` itself is the list for programs.
  { link: ['Tools', '/catalogue'], key: 't', within: [['Servers', '/servers']] },
  { link: ['Connections', '/connections'], key: 'n', within: [['Connect', '/connect']] },
  { link: ['Settings', '/settings'], key: 's', within: [['Notifications', '/notifications']] },
];

/** Shows the links to every subject, those within the current one, and the way out. On a small screen it opens over the page. */
export function Navigation({ csrf, current }: { readonly csrf: string; readonly current: string }) {
  return (
    <>
      <button class="menu" type="button" popovertarget="nav">
        Menu
      </button>
      <nav aria-label="Main" id="nav" popover="auto">
        {sections.map(({ link: [label, href], key, within = [] }) => (
          <>
            <a href={href} aria-current={label === current ? 'page' : undefined} {...{ [KEY]: key }}>
              {label}
              {label === 'Approvals' ? <span class="count" {...{ [WAITING]: true }} hidden /> : null}
            </a>
            {label === current || within.some(([name]) => name === current)
              ? within.map(([name, to]) => (
                  <a class="within" href={to} aria-current={name === current ? 'page' : undefined}>
                    {name}
                  </a>
                ))
              : null}
          </>
        ))}
        <form method="post" action="/signout">
          <input type="hidden" name="csrf" value={csrf} />
          <button class="plain" type="submit">
            Sign out
          </button>
          <a class="keys" href="/keys">
            Keys
          </a>
        </form>
      </nav>
    </>
  );
}
