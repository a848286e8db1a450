import { WAITING } from './page-names.ts';

/** The owner's pages, by subject. A page finds its own link because its title equals the label here. */
const groups: readonly { readonly name: string; readonly links: readonly (readonly [string, string])[] }[] = [
  {
    name: 'Decide',
    links: [
      ['Home', '/'],
      ['Approvals', '/approvals'],
      ['Rules', '/rules'],
      ['Ledger', '/ledger'],
    ],
  },
  {
    name: 'What you own',
    links: [
      ['Memory', '/memory'],
      ['Repo', '/repo'],
      ['Machines', '/machines'],
    ],
  },
  {
    name: 'What it can do',
    links: [
      // `/tools` itself is the list for programs.
      ['Tools', '/catalogue'],
      ['Servers', '/servers'],
    ],
  },
  {
    name: 'Who gets in',
    links: [
      ['Connect', '/connect'],
      ['Connections', '/connections'],
      ['Notifications', '/notifications'],
      ['Settings', '/settings'],
    ],
  },
];

/** Shows the links to every page, and the way out. On a small screen it opens over the page. */
export function Navigation({ csrf, current }: { readonly csrf: string; readonly current: string }) {
  return (
    <>
      <button class="menu" type="button" popovertarget="nav">
        Menu
      </button>
      <nav aria-label="Main" id="nav" popover="auto">
        {groups.map(({ name, links }) => (
          <div class="group">
            <div class="group-name">{name}</div>
            {links.map(([label, href]) => (
              <a href={href} aria-current={label === current ? 'page' : undefined}>
                {label}
                {label === 'Approvals' ? <span class="count" {...{ [WAITING]: true }} hidden /> : null}
              </a>
            ))}
          </div>
        ))}
        <form method="post" action="/signout">
          <input type="hidden" name="csrf" value={csrf} />
          <button class="plain" type="submit">
            Sign out
          </button>
        </form>
      </nav>
    </>
  );
}
