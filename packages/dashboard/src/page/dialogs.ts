// The dialogs: how to stop, which URLs to add, and what is asked before. The browser keeps the focus inside, and Escape closes them.
import { h } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SteeringAction } from '../crawl-source.ts'
import type { Drawn, Shown } from './view-scope.ts'
import { visible } from './words.ts'

/** A dialog that may be open. */
export interface DialogWish {
  readonly isOpen: boolean
  close(): void
}

/** One dialog, by its title. */
function Dialog({ isOpen, close, title, children }: DialogWish & { readonly title: string; readonly children?: Shown }): Drawn {
  const place = useRef<HTMLDialogElement>(null)
  // Before anything else is typed: to open it moves the focus.
  useLayoutEffect(() => {
    if (isOpen && place.current?.open === false) place.current.showModal()
    if (!isOpen) place.current?.close()
  }, [isOpen])
  const id = `dialog-${title.toLowerCase().replaceAll(' ', '-')}`
  return h('dialog', { ref: place, onClose: close, 'aria-labelledby': id }, isOpen ? [h('h2', { id }, title), children] : null)
}

/** How to stop. */
export function StopDialog({ stop, ...wish }: DialogWish & { stop(now: boolean): void }): Drawn {
  const button = (words: string, now: boolean): Drawn => h('button', { onClick: () => (stop(now), wish.close()) }, words)
  return h(Dialog, { ...wish, title: 'Stop the crawl' }, [
    h('p', null, 'What is done is kept. To resume, run the same command again.'),
    h('div', { class: 'actions' }, [
      button('Stop once requests in flight have ended', false),
      button('Stop now', true),
      h('button', { onClick: wish.close, autofocus: true }, 'Do not stop'),
    ]),
  ])
}

/** URLs to add, one a line: open, with what was typed, until they are accepted. `add` gives what is wrong with them. */
export function AddDialog({ add, ...wish }: DialogWish & { add(urls: readonly string[]): Promise<string | undefined> }): Drawn {
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const close = (): void => {
    setError('')
    wish.close()
  }
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget as HTMLFormElement).get('urls')
    if (typeof typed !== 'string' || isBusy) return
    setBusy(true)
    const wrong = await add(typed.split(/\s+/).filter((url) => url !== ''))
    setBusy(false)
    if (wrong === undefined) close()
    else setError(wrong)
  }
  return h(Dialog, { isOpen: wish.isOpen, close, title: 'Add URLs' }, [
    h('form', { onSubmit: send }, [
      h(
        'label',
        null,
        h(
          'span',
          null,
          'URLs, one on each line or with spaces between them. The crawl follows links to their hosts from then on.',
        ),
        [h('textarea', { name: 'urls', rows: 6, required: true, placeholder: 'https://shop.example/' })],
      ),
      h('p', { class: 'bad', role: 'alert' }, visible(error)),
      h('div', { class: 'actions' }, [
        h('button', { class: 'is-primary', disabled: isBusy }, 'Add'),
        h('button', { type: 'button', onClick: close }, 'Cancel'),
      ]),
    ]),
  ])
}

// Asks before what concerns many pages at once, or cannot be taken back.

/** What is asked, and what the button says that does it. */
interface Question {
  readonly title: string
  readonly text: string
  readonly yes: string
}

/** Undefined: it is done at once. */
export function questionOf(action: SteeringAction): Question | undefined {
  if (action.kind === 'forget-host')
    return {
      title: 'Forget what was learned',
      text: `The policies learn ${action.hostKey} from scratch: rate, breaker, timeouts and retries. This cannot be undone.`,
      yes: 'Forget',
    }
  if (action.kind !== 'drop' || action.url !== undefined) return undefined
  const which = action.hostKey === undefined ? `of class ${action.failureClass ?? ''}` : `of ${action.hostKey}`
  return {
    title: 'Drop failed pages',
    text: `Drop all failed pages ${which}? They leave the list, and a retry skips them. To undo it, retry the class dropped.`,
    yes: 'Drop',
  }
}

/** The button that changes nothing has the focus. */
export function ConfirmDialog({
  asked,
  act,
  ...wish
}: DialogWish & {
  readonly asked: SteeringAction | undefined
  act(action: SteeringAction): void
}): Drawn {
  const question = asked && questionOf(asked)
  const yes = (): void => {
    if (asked !== undefined) act(asked)
    wish.close()
  }
  return h(Dialog, { ...wish, title: question?.title ?? '' }, [
    h('p', null, visible(question?.text ?? '')),
    h('div', { class: 'actions' }, [
      h('button', { class: 'is-primary', onClick: yes }, question?.yes ?? ''),
      h('button', { onClick: wish.close, autofocus: true }, 'Cancel'),
    ]),
  ])
}
