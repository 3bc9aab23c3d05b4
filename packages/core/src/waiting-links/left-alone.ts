// Which pages are not requested for links that wait: those that would do harm, and those that were not there when they were last visited and have a time of their own.
import type { RequestRecord } from '../frontier-reader.ts'
import { wasGone } from '../recrawl/probation.ts'

/** Whether it comes when it is due, is believed to be gone, or killed its process. */
export function isLeftAlone(page: RequestRecord): boolean {
  if (page.state === 'done') return page.quarantined ?? false
  return page.notBefore !== undefined || page.reason === 'poison' || wasGone(page)
}

/** Of one that killed its process when it was read again: it would do so in every run that is started anew. */
export function quarantinedInWords({ url, cut }: RequestRecord): string {
  return `${url} is not requested again for links beyond a budget in this run, because the process died three times while working on it; up to ${cut?.left ?? 0} links of it still wait for a later run`
}
