import { block, element, line, linesOf } from './elements.browser.ts';

/** The lines that a card shows of what a running call said. */
const LINES = 12;

/** The part of a card that shows what a call said so far. It changes in place: what is selected around it stays. */
interface Live {
  readonly part: HTMLElement;
  show(output: string): void;
}

export function liveView(): Live {
  const { box, fill } = block('The output so far');
  const part = element('div', 'live', line('p', 'quiet', 'So far, the last lines:'), box);
  part.hidden = true;
  let shown = '';
  const show = (output: string) => {
    if (output === shown) return;
    shown = output;
    part.hidden = output === '';
    // Whoever scrolled up reads there.
    const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
    fill(linesOf(output, 'last').slice(-LINES));
    if (isAtEnd) box.scrollTop = box.scrollHeight;
  };
  return { part, show };
}
