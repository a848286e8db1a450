/** The script of a page that shows a card as the specification of MCP Apps wants it, by the official half of a host. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { HostWindow } from './card-host.ts';

const host = window as unknown as HostWindow;

host.showCard = async ({ html, tool, args, theme, canCall, canOpen }) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  frame.title = 'A card';
  frame.style.cssText = 'width:100%;height:40px;border:0;color-scheme:normal';
  document.querySelector('main')?.append(frame);
  const inside = frame.contentWindow;
  if (!inside) throw new Error('A frame has no window.');
  const bridge = new AppBridge(
    null,
    { name: 'tests', version: '1.0.0' },
    { ...(canCall ? { serverTools: {} } : {}), ...(canOpen ? { openLinks: {} } : {}) },
    { hostContext: { theme, toolInfo: { tool: { name: tool, inputSchema: { type: 'object' } } } } },
  );
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html, csp: {} });
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  bridge.onopenlink = async ({ url }) => {
    await host.openLink(url);
    return {};
  };
  bridge.oncalltool = async ({ name, arguments: sent = {} }) =>
    (await host.callTool(name, sent)) as Awaited<ReturnType<NonNullable<AppBridge['oncalltool']>>>;
  const ready = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(inside, inside));
  frame.src = 'http://sandbox.invalid/';
  await ready;
  await bridge.sendToolInput({ arguments: args });
  host.sendResult = (result) => bridge.sendToolResult(result as Parameters<AppBridge['sendToolResult']>[0]);
  host.sendCancelled = () => bridge.sendToolCancelled({ reason: 'The person stopped it.' });
};
