// What an error of Node or undici tells about itself; of the errors of several addresses that were tried, the one that says most.

/** The fields by which Node and undici tell errors apart. */
export interface Told {
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly address?: string
}

/** The error that says most: of several an IPv4 one, for it says more about the host than a missing IPv6 route. */
export function toldBy(thrown: unknown): Told {
  const told: Told = typeof thrown === 'object' && thrown !== null ? thrown : {}
  if (!(thrown instanceof AggregateError)) return told
  const all = thrown.errors as readonly Told[]
  return all.find((error) => !isIPv6(error)) ?? all[0] ?? told
}

/** Whether it befell an IPv6 address. */
export function isIPv6({ address }: Told): boolean {
  return address?.includes(':') ?? false
}
