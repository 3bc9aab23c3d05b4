// Items that the schema or a sink refused, by groups of reasons, as people read them.
import type { RejectGroup } from '@avocet/core/store'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/quantity.ts'

/** `20 × schema: price: expected number, received string, first at https://…`. */
export function rejectGroupLine({ source, reason, count, url }: RejectGroup): string {
  const at = url === '' ? '' : `, first at ${printable(url)}`
  return `${formatCount(count)} × ${printable(source)}: ${printable(reason)}${at}`
}
