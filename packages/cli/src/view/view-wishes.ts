// What somebody at the keyboard wants to see: the order of the hosts, which of them, the help. From keys to wishes; pure.
import { HOST_ORDERS, type HostOrder } from './host-order.ts'

/** The wishes. */
export interface ViewWishes {
  readonly order: HostOrder
  /** Part of the names of the hosts to show; empty = all. */
  readonly filter: string
  /** The filter is being typed. */
  readonly isTyping: boolean
  readonly isHelp: boolean
}

/** Of somebody who has not touched a key. */
export const NO_WISHES: ViewWishes = { order: 'trouble', filter: '', isTyping: false, isHelp: false }

/** Longer than any host name that can be told apart on a screen. */
const MAX_FILTER = 60
/** What a key other than a character sends: arrows, function keys, a paste's brackets (ECMA-48 CSI, and SS3). */
// oxlint-disable-next-line no-control-regex -- keys are control characters
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.)/gu

/** The keys in what the terminal sent at once, without those that are no character. Escape alone is one. */
export function keysIn(sent: string): readonly string[] {
  return Array.from(sent.replaceAll(SEQUENCES, ''))
}

/** The wishes once `key` was pressed. */
export function wishesAfter(wishes: ViewWishes, key: string): ViewWishes {
  if (wishes.isTyping) return typed(wishes, key)
  const order = HOST_ORDERS.indexOf(wishes.order)
  const step = key === 's' ? 1 : key === 'S' ? HOST_ORDERS.length - 1 : 0
  // A user who sorts the hosts wants to see them.
  if (step > 0) return { ...wishes, order: HOST_ORDERS[(order + step) % HOST_ORDERS.length] ?? 'trouble', isHelp: false }
  if (key === '/') return { ...wishes, isTyping: true, isHelp: false }
  if (key === '?') return { ...wishes, isHelp: !wishes.isHelp }
  if (key === ESCAPE) return wishes.isHelp ? { ...wishes, isHelp: false } : { ...wishes, filter: '' }
  return wishes
}

const ESCAPE = '\u001b'
const ERASERS = ['\u007f', '\b']
const ENDS = ['\r', '\n']

function typed(wishes: ViewWishes, key: string): ViewWishes {
  const { filter } = wishes
  if (ENDS.includes(key)) return { ...wishes, isTyping: false }
  if (key === ESCAPE) return { ...wishes, isTyping: false, filter: '' }
  if (ERASERS.includes(key)) return { ...wishes, filter: Array.from(filter).slice(0, -1).join('') }
  const isText = !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(key)
  return isText && filter.length < MAX_FILTER ? { ...wishes, filter: filter + key } : wishes
}
