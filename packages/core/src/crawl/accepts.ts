// Which statuses are pages, as the spider says; where it throws, the default, and the report says so.
import { messageOf } from '../errors.ts'
import type { Spider } from '../spider.ts'

/** The question to the spider. */
export function acceptsOf(
  { name, accepts }: Pick<Spider, 'name' | 'accepts'>,
  problem: (message: string) => void,
): (status: number) => boolean {
  return (status) => {
    try {
      if (accepts) return accepts(status)
    } catch (error) {
      problem(`accepts(${status}) of spider ${name} threw ${messageOf(error)}: taken for 200 to 299`)
    }
    return status >= 200 && status < 300
  }
}
