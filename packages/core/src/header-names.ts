// Header fields under lower-case names, as everything in a crawl has them: a field has one name in any case (RFC 9110 §5.1).

/** `headers` by lower-case names; of two that differ in case only, the last. */
export function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Fields by which a client says who it is (RFC 9110 §11, RFC 6265), whose values a store never has. In lower case. No others: a request fails where its value
 * is lost, which no guess by a name may decide. Names that are likely to hold a secret: `isSecretName`.
 */
export const SECRET_FIELDS: readonly string[] = ['authorization', 'cookie', 'proxy-authorization']
