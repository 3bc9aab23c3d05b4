// What an error of Node or undici tells about itself; of the errors of several addresses that were tried, the one that says most.

/** The fields by which Node and undici tell errors apart. */
export interface SystemError {
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly address?: string
}

/** The error that says most: of several an IPv4 one, for it says more about the host than a missing IPv6 route. */
export function systemErrorOf(thrown: unknown): SystemError {
  const error: SystemError = typeof thrown === 'object' && thrown !== null ? thrown : {}
  if (!(thrown instanceof AggregateError)) return error
  const all = thrown.errors as readonly SystemError[]
  return all.find((error) => !isIPv6(error)) ?? all[0] ?? error
}

/** Whether it happened with an IPv6 address. */
export function isIPv6({ address }: SystemError): boolean {
  return address?.includes(':') ?? false
}
