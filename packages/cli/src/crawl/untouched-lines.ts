// What `--again` says of pages that keep their items: how many, and why.
import type { UntouchedPage, WhyUntouched } from '../store-kinds/store-files.ts'
import { printable } from '../text/printable.ts'
import { formatCountOf } from '../text/quantity.ts'

/** Handlers that are named. */
const MAX_NAMED = 5
/** Longer ones are cut. */
const MAX_NAME = 40

const REASONS: Readonly<Record<Exclude<WhyUntouched, 'handler-gone'>, string>> = {
  'earlier-only': 'the response of its last visit is not kept, only an earlier one',
  'failed-since': 'the last visit had no page (an error such as 404, or a redirect)',
  'out-of-scope': 'the scope of today excludes it',
  'not-kept': 'its response is not kept',
}
const REASONS_OF_MANY: Readonly<Record<Exclude<WhyUntouched, 'handler-gone'>, string>> = {
  'earlier-only': 'the responses of their last visits are not kept, only earlier ones',
  'failed-since': 'their last visits had no page (an error such as 404, or a redirect)',
  'out-of-scope': 'the scope of today excludes them',
  'not-kept': 'their responses are not kept',
}

/** Pages that keep their items, as they are counted. */
export class UntouchedPages {
  readonly #byReason = new Map<keyof typeof REASONS, number>()
  readonly #byHandler = new Map<string, number>()

  add({ why, handler }: Pick<UntouchedPage, 'why' | 'handler'>): void {
    if (why === 'handler-gone') this.#byHandler.set(handler, (this.#byHandler.get(handler) ?? 0) + 1)
    else this.#byReason.set(why, (this.#byReason.get(why) ?? 0) + 1)
  }

  /** A line for each reason. `damaged`: kept responses that cannot be read, which have a line of their own. */
  lines(damaged: number): string[] {
    const gone = [...this.#byHandler].toSorted(([, a], [, b]) => b - a)
    const others = gone.slice(MAX_NAMED).reduce((sum, [, count]) => sum + count, 0)
    const lines = [
      ...gone.slice(0, MAX_NAMED).map(([handler, count]) => goneLine(count, `handler '${nameOf(handler)}'`)),
      ...(others === 0 ? [] : [goneLine(others, `handlers such as '${nameOf(gone[MAX_NAMED]?.[0] ?? '')}'`)]),
      ...[...this.#byReason].flatMap(([why, all]) => {
        const count = why === 'not-kept' ? all - damaged : all
        return count <= 0 ? [] : [keepLine(count, count === 1 ? REASONS[why] : REASONS_OF_MANY[why])]
      }),
    ]
    return lines.length === 0 ? [] : [...lines, '--log-level debug lists the pages that keep their items']
  }
}

/** In one line, of one page. */
export function untouchedLine({ url, handler, why }: UntouchedPage): string {
  const reason = why === 'handler-gone' ? `the spider has no handler '${nameOf(handler)}' any more` : REASONS[why]
  return `${printable(url)} keeps its items, because ${reason}`
}

function goneLine(count: number, handlers: string): string {
  return keepLine(count, `the spider has no ${handlers} any more, and no link leads to ${count === 1 ? 'it' : 'them'}`)
}

function keepLine(count: number, reason: string): string {
  return `${formatCountOf(count, 'page')} ${count === 1 ? 'keeps its' : 'keep their'} items, because ${reason}`
}

function nameOf(handler: string): string {
  const name = printable(handler)
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name
}
