// The schema of the tortured spider, which refuses one item of some pages.
import type { Spider } from '@avocet/core'

/** Refuses the second item of handler `third`. */
export const SCHEMA: NonNullable<Exclude<Spider<{ url: string; visit: number }>['items'], { readonly key: string }>> = {
  '~standard': {
    version: 1,
    vendor: 'torture',
    validate: (value) => {
      const item = value as { url: string; visit: number }
      return item.url.endsWith('#refused') ? { issues: [{ message: 'refused', path: ['url'] }] } : { value: item }
    },
  },
}
