// What is signed: the vectors of RFC 9421 and of the draft, and what a verifier by other hands says of our fields.
import { constants, createPrivateKey, createPublicKey, sign as signed, verify as verified } from 'node:crypto'
import { createVerifier, httpbis } from 'http-message-signatures'
import { describe, expect, it } from 'vitest'
import { thumbprint } from '../src/keys.ts'
import { signatureFields, signedRequest, type Component, type Sign } from '../src/web-bot-auth.ts'

// RFC 9421 appendix B.1.4, as a JWK in draft-ietf-webbotauth-httpsig-protocol-01: `test-key-ed25519`.
const PRIVATE = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
}
const KEYID = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U'
const key = createPrivateKey({ key: PRIVATE, format: 'jwk' })
const sign: Sign = (text) => new Uint8Array(signed(null, Buffer.from(text), key))

const AGENT = 'https://signature-agent.test'
const authority: Component = { name: '@authority', value: 'example.com' }
const created = 1_735_689_600

describe('the thumbprint', () => {
  it('of the key of RFC 9421 is the one in the draft', () => {
    expect(thumbprint(PRIVATE.x)).toBe(KEYID)
  })

  it('of the key of RFC 8037 appendix A.3 is the one there', () => {
    expect(thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  })
})

describe('a signature', () => {
  it('is that of RFC 9421 appendix B.2.6', () => {
    const components = [
      { name: 'date', value: 'Tue, 20 Apr 2021 02:07:55 GMT' },
      { name: '@method', value: 'POST' },
      { name: '@path', value: '/foo' },
      authority,
      { name: 'content-type', value: 'application/json' },
      { name: 'content-length', value: '18' },
    ]

    const fields = signatureFields(
      'sig-b26',
      { components, parameters: { created: 1_618_884_473, keyid: 'test-key-ed25519' } },
      sign,
    )

    expect(fields).toEqual({
      'signature-input':
        'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      signature: 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
    })
  })

  // draft-ietf-webbotauth-httpsig-protocol-01, Test Vectors, EdDSA: with the field as a dictionary, and as the string that it once was. The first one is from
  // the vectors beside the draft (web_bot_auth_architecture_v2.json of cloudflare/web-bot-auth).
  it.each([
    {
      name: 'without Signature-Agent',
      label: 'sig1',
      agent: [],
      expires: 4_889_289_600,
      nonce: 'zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==',
      input: '("@authority")',
      expected: 'QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==',
    },
    {
      name: 'with Signature-Agent',
      label: 'sig2',
      agent: [{ name: 'signature-agent', key: 'agent2', value: `"${AGENT}"` }],
      expires: 4_889_289_600,
      nonce: 'n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==',
      input: '("@authority" "signature-agent";key="agent2")',
      expected: 'RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==',
    },
    {
      name: 'with the Signature-Agent of earlier drafts',
      label: 'sig2',
      agent: [{ name: 'signature-agent', value: `"${AGENT}"` }],
      expires: 1_735_693_200,
      nonce: 'e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==',
      input: '("@authority" "signature-agent")',
      expected: 'jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==',
    },
  ])('is that of the draft $name', ({ label, agent, expires, nonce, input, expected }) => {
    const parameters = { created, keyid: KEYID, alg: 'ed25519', expires, nonce, tag: 'web-bot-auth' }

    const fields = signatureFields(label, { components: [authority, ...agent], parameters }, sign)

    expect(fields).toEqual({
      'signature-input': `${label}=${input};created=1735689600;keyid="${KEYID}";alg="ed25519";expires=${expires};nonce="${nonce}";tag="web-bot-auth"`,
      signature: `${label}=:${expected}:`,
    })
  })

  it('is that of the signed directory in the draft', () => {
    const digest = 'sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:'
    const components: readonly Component[] = [
      { name: '@authority', value: 'signature-agent.test', req: true },
      { name: 'content-digest', value: digest },
    ]
    const parameters = { created, expires: 4_889_289_600, keyid: KEYID, tag: 'http-message-signatures-directory' }

    expect(signatureFields('binding', { components, parameters }, sign)).toEqual({
      'signature-input': `binding=("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="${KEYID}";tag="http-message-signatures-directory"`,
      signature: 'binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:',
    })
  })

  // The draft's vectors of another algorithm, rsa-pss-sha512, whose signatures differ each time: theirs must hold for what we would sign. RFC 9421 B.1.2.
  it.each([
    {
      name: 'with Signature-Agent',
      agent: { name: 'signature-agent', key: 'agent2', value: `"${AGENT}"` },
      expires: 4_889_289_600,
      nonce: 'wcfPQPh7SzkvrIVvhD00vNk9PkxJNY2NVbYl2PVBB4zmUoluSwE7W6bPtF60QA3k8g06FU7PPCD+J58YofY1zg==',
      theirs:
        'gHzpLNeHaHIO19NaJH9YMW5dcVSi2s0wOMBr6p18vcofS106sfC4KBIS0/szPlBBd1vIcyQ88B6CTEWIhRAiVrb9zfX0mx1aG12CSGWcYkSirHeyTxhbuJvXd27ed6skWoy4PjXItq38936ivUQjfdIwXh1aX6HxkAC3vRnEdSNfntkLWeEuIQ5BLIOBGE39fSwg27Qjq6OVWYas/9/aFUr3HA34MXWYdp+//cvlEKDp3kRoLOw9ro0AOr6srHrTeEtxon2afcws1aZVSlPdd2fZSEIGmw9HAHLDCEkFTERu1gH2k/zIEqgy7CAYXI9E5slog0cLg/Vc6+f8gih33g==',
    },
    {
      name: 'with the Signature-Agent of earlier drafts',
      agent: { name: 'signature-agent', value: `"${AGENT}"` },
      expires: 1_735_693_200,
      nonce: 'XSHtZVCThSIAksXsH9WBs6AtxtXC0eQGiIcUGSoJstFs8lAWakjhrfwzLhyjtme5iXMZvmFWqDEs6cT3Jf+BbQ==',
      theirs:
        'I1QWNzGXdP1a4dSvOHLCVOOanEYHDk+ZsVxM9MLX/p4ko69ghKwR5EOtAD96g7g4GWP7lmpM/jFAf9q8EFRDTPLjUXySwMv4YPgabv2LQihTJG2y8a2m6IGltyruwQNiqSJVUuRaG9+b17CGmAMFZh30X6GXLdQJrCARpeTqPwp2DC+a8haDE/VE5EruqzjA5/2mKwvrkzkSqeW5tOVtFwWRRHIOidquf/8Je6kM9mhgkg4arudLA5SL4wyyYE1jURIgcOl8agrfdJ5Def23DIRtiOLRa8jT9cpTLFAuFHN+mrZA/LH9h0gSIg1cPb+0cMASee5uku1KjWcFer7jWA==',
    },
  ])('signs what the RSA vector of the draft signs $name', ({ agent, expires, nonce, theirs }) => {
    const n =
      'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w'
    const rsa = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
    const keyid = 'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA'
    const parameters = { created, keyid, alg: 'rsa-pss-sha512', expires, nonce, tag: 'web-bot-auth' }
    let base = ''

    signatureFields('sig2', { components: [authority, agent], parameters }, (text) => {
      base = text
      return new Uint8Array()
    })

    const holds = verified(
      'sha512',
      Buffer.from(base),
      { key: rsa, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 },
      Buffer.from(theirs, 'base64'),
    )
    expect(holds).toBe(true)
  })
})

describe('the fields of a request', () => {
  const request = {
    authority: 'example.com',
    agentForm: 'dictionary' as const,
    agent: AGENT,
    keyid: KEYID,
    now: created * 1_000 + 999,
    expiresMs: 300_000,
  }
  const fields = signedRequest({ ...request, nonce: new Uint8Array(64) }, sign)

  it('name the key, where it is published, and how long they are valid', () => {
    expect(fields['signature-agent']).toBe(`sig1="${AGENT}"`)
    expect(fields['signature-input']).toBe(
      `sig1=("@authority" "signature-agent";key="sig1");created=1735689600;keyid="${KEYID}";alg="ed25519";expires=1735689900;nonce="${'A'.repeat(86)}==";tag="web-bot-auth"`,
    )
  })

  it('have the agent as a string for verifiers of earlier drafts', () => {
    const asString = signedRequest({ ...request, agentForm: 'string', nonce: new Uint8Array(64) }, sign)

    expect(asString['signature-agent']).toBe(`"${AGENT}"`)
    expect(asString['signature-input']).toContain('sig1=("@authority" "signature-agent");')
  })

  // The verifier takes the time from the machine, so the signature is one of the year 2100.
  it.each([
    ['as they are', 'https://example.com/a?b=c', {}, true],
    ['at another site', 'https://other.example/a?b=c', {}, false],
    ['with another agent', 'https://example.com/a?b=c', { 'signature-agent': 'sig1="https://other.test"' }, false],
  ])('%s: a verifier by other hands says %s', async (_what, url, changed, expected) => {
    const lasting = signedRequest({ ...request, expiresMs: 4_102_444_800_000, nonce: new Uint8Array(64) }, sign)
    const verify = createVerifier(createPublicKey(key), 'ed25519')

    const holds = await httpbis
      .verifyMessage(
        {
          keyLookup: ({ keyid }) => Promise.resolve(keyid === KEYID ? { id: KEYID, algs: ['ed25519'], verify } : null),
          requiredFields: ['@authority', 'signature-agent'],
          requiredParams: ['created', 'expires', 'keyid', 'nonce', 'tag'],
        },
        { method: 'GET', url, headers: { ...lasting, ...changed } },
      )
      .catch(() => false)

    expect(holds).toBe(expected)
  })
})
