// Asks before what concerns many pages at once, or cannot be taken back.
import { h } from 'preact'
import type { SteeringAction } from '../steering.ts'
import { Dialog, type DialogWish } from './dialogs.ts'
import type { Drawn } from './view-scope.ts'
import { visible } from './words.ts'

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
