// The body of a page as it is written out: every byte of it into a pipe or a file; on a terminal only what is text.
import type { Page } from '@avocet/core'

/** `*` and `+` types that are text though they do not say so. */
const TEXT_TYPE = /^text\/|[/+](?:json|xml|javascript|ecmascript|yaml|x-ndjson|x-www-form-urlencoded)$/

/** Whether the body is text, by its content type and its first kilobytes. */
export function isText({ contentType, response }: Page): boolean {
  return (
    TEXT_TYPE.test(contentType) || (contentType === 'application/octet-stream' && !response.body.subarray(0, 8_192).includes(0))
  )
}
