// The two dialogs: which keys there are, and how to stop. The browser keeps the focus inside, and Escape closes them.
import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { SHORTCUTS } from './shortcuts.ts'
import type { Drawn, Shown } from './view-scope.ts'

/** A dialog that may be open. */
interface DialogWish {
  readonly isOpen: boolean
  close(): void
}

function Dialog({ isOpen, close, title, children }: DialogWish & { readonly title: string; readonly children?: Shown }): Drawn {
  const place = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen && place.current?.open === false) place.current.showModal()
    if (!isOpen) place.current?.close()
  }, [isOpen])
  const id = `dialog-${title.toLowerCase().replaceAll(' ', '-')}`
  return h('dialog', { ref: place, onClose: close, 'aria-labelledby': id }, isOpen ? [h('h2', { id }, title), children] : null)
}

/** Which keys there are. */
export function HelpDialog(wish: DialogWish): Drawn {
  return h(Dialog, { ...wish, title: 'Keys' }, [
    h(
      'dl',
      { class: 'keys' },
      SHORTCUTS.flatMap(({ key, words }) => [h('dt', null, h('kbd', null, key)), h('dd', null, words)]),
    ),
    h('p', { class: 'quiet' }, 'In the table of hosts, arrow keys go from host to host.'),
    h('button', { onClick: wish.close }, 'Close'),
  ])
}

/** How to stop. */
export function StopDialog({ stop, ...wish }: DialogWish & { stop(drain: boolean): void }): Drawn {
  const button = (words: string, drain: boolean): Drawn => h('button', { onClick: () => (stop(drain), wish.close()) }, words)
  return h(Dialog, { ...wish, title: 'Stop the crawl' }, [
    h('p', null, 'What is done is kept. To resume, run the same command again.'),
    h('div', { class: 'actions' }, [
      button('Stop once requests in flight have ended', true),
      button('Stop now', false),
      h('button', { onClick: wish.close }, 'Do not stop'),
    ]),
  ])
}
