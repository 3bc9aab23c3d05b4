// The schema of the tortured spider, which refuses one item of some pages.
import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Refuses the second item of handler `third`. */
export const SCHEMA: StandardSchemaV1<{ url: string; visit: number }> = {
  '~standard': {
    version: 1,
    vendor: 'torture',
    validate: (value) => {
      const item = value as { url: string; visit: number }
      return item.url.endsWith('#refused') ? { issues: [{ message: 'refused', path: ['url'] }] } : { value: item }
    },
  },
}
