// What a crawl can be printed for.

/** The first word behind `avocet service print`, where it is not what to crawl. */
export const SERVICE_KINDS = ['systemd', 'pm2', 'kubernetes'] as const

/** Whether it may be meant as one of them: no URL, and no path. */
export function isBareWord(text: string): boolean {
  return /^[\w-]+$/.test(text)
}
