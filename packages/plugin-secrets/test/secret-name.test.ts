// Which names hold secrets: whole words tell, parts of words do not.
import { isSecretName } from '@avocet/plugin-secrets/names'
import { describe, expect, it } from 'vitest'

describe('a name holds a secret', () => {
  it.each([
    ...['authorization', 'Proxy-Authorization', 'cookie', 'Cookie2', 'set-cookie', 'set-cookie2', 'x-auth', 'X-Auth-User'],
    ...['x-auth-token', 'x-amz-security-token', 'x-csrf-token', 'x-xsrf', 'X-CSRFToken', 'x-goog-iap-jwt-assertion'],
    ...['x-session', 'x-session-id', 'sessionid', 'JSESSIONID', 'phpsessid', 'x-secret', 'client_secret', 'clientSecret'],
    ...['x-api-key', 'x-api_key', 'X-API-Key', 'apikey', 'api_keys', 'apiKey', 'APIKey', 'X-RapidAPI-Key', 'x-rapidapi-key'],
    ...['x-access-key', 'private-key', 'Ocp-Apim-Subscription-Key', 'x-functions-key', 'x-key', 'key'],
    ...['accesstoken', 'authtoken', 'refreshToken', 'oauth2', 'x-authentication'],
    ...[
      'x-password',
      'x-passwd',
      'x-pwd',
      'password2',
      'db_pass',
      'dbPass',
      'tokenValue',
      'pass',
      'passphrase',
      'credential',
      'x-credentials',
    ],
  ])('by a word of it: %s', (name) => {
    expect(isSecretName(name)).toBe(true)
  })

  it.each([
    ...['x-author', 'author', 'x-authority', 'www-authenticate', 'x-goog-authenticated-user-email', 'x-compass', 'passenger'],
    ...[
      'x-tokens-left',
      'x-ratelimit-remaining-tokens',
      'x-token-limit',
      'x-token-type',
      'session-count',
      'token_url',
      'x-csrf-header',
    ],
    ...[
      'surrogate-key',
      'x-cache-key',
      'sec-websocket-key',
      'keyword',
      'keywords',
      'monkey',
      'x-pass-through',
      'bypass',
      'obsession',
    ],
    ...['access-control-allow-credentials', 'secretary', 'x-tokenized', 'etag', 'location', 'content-type', 'x', ''],
  ])('but not by a part of a word, nor one that measures it: %s', (name) => {
    expect(isSecretName(name)).toBe(false)
  })

  it('for each field whose value a store never has', () => {
    expect(['authorization', 'cookie', 'proxy-authorization'].filter((name) => !isSecretName(name))).toEqual([])
  })

  it('is told of a hostile name at once', () => {
    const names = ['a'.repeat(100_000), 'aB'.repeat(50_000), 'A'.repeat(100_000), '-'.repeat(100_000), 'key-'.repeat(25_000)]

    const begun = process.cpuUsage().user
    expect(names.map(isSecretName)).toEqual([false, false, false, false, false])
    expect(process.cpuUsage().user - begun).toBeLessThan(500_000)
  })
})
