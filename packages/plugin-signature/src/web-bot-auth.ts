// What is signed of a request, and the three header fields that say so. Pure.
//
// HTTP message signatures (RFC 9421) with the profile of Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01). `@authority` ties a signature to one site:
// another one cannot use it. The member of Signature-Agent that has the label of the signature says where the key is published; drafts of before 2026 had
// a string there, which verifiers in production still want. Method and path are not covered: proxies on the way rewrite paths, and `expires` bounds what
// a copy is good for.
import { serializeDictionary, serializeInnerList, serializeItem, type InnerList, type Item } from 'structured-headers'

/** A part of a message that a signature covers. */
export interface Component {
  /** `@authority`, or the name of a field in lower case. */
  readonly name: string
  readonly value: string
  /** The member of a field that is a dictionary. */
  readonly key?: string
  /** It is of the request that the signed response answers. */
  readonly req?: true
}

/** What a signature covers, and its parameters in the order in which they are written. */
export interface Covered {
  readonly components: readonly Component[]
  readonly parameters: Readonly<Record<string, string | number>>
}

/** The fields of one signature. */
export interface SignatureFields {
  readonly 'signature-input': string
  readonly signature: string
}

/** A request to sign. */
export interface SignedRequest {
  /** Host in lower case, and port if it is not the default. */
  readonly authority: string
  /** Where the key is published. */
  readonly agent: string
  /** How Signature-Agent has it. */
  readonly agentForm: 'dictionary' | 'string'
  /** Thumbprint of the key (RFC 7638, RFC 8037). */
  readonly keyid: string
  /** Epoch ms. */
  readonly now: number
  readonly expiresMs: number
  /** 64 random bytes. */
  readonly nonce: Uint8Array
}

/** A directory of keys to sign, as the answer of a server. */
export interface SignedDirectory extends Pick<SignedRequest, 'authority' | 'keyid' | 'now' | 'expiresMs'> {
  readonly label: string
  /** The field Content-Digest of its body (RFC 9530). */
  readonly digest: string
}

/** Gives the Ed25519 signature of a text. */
export type Sign = (text: string) => Uint8Array<ArrayBuffer>

const LABEL = 'sig1'

/** The header fields of a request that is signed after Web Bot Auth. */
export function signedRequest(request: SignedRequest, sign: Sign): Readonly<Record<string, string>> {
  const { authority, agent, agentForm, nonce, ...times } = request
  const value = serializeItem(agent)
  const { created, keyid, alg, expires } = commonParameters(times)
  const covered: Covered = {
    components: [
      { name: '@authority', value: authority },
      { name: 'signature-agent', value, ...(agentForm === 'dictionary' && { key: LABEL }) },
    ],
    parameters: { created, keyid, alg, expires, nonce: Buffer.from(nonce).toString('base64'), tag: 'web-bot-auth' },
  }
  const field = agentForm === 'dictionary' ? `${LABEL}=${value}` : value
  return { 'signature-agent': field, ...signatureFields(LABEL, covered, sign) }
}

/** The fields by which a directory proves that its site has the key: nobody else can serve it as their own. */
export function signedDirectory({ label, digest, authority, ...times }: SignedDirectory, sign: Sign): SignatureFields {
  const components: readonly Component[] = [
    { name: '@authority', value: authority, req: true },
    { name: 'content-digest', value: digest },
  ]
  return signatureFields(
    label,
    { components, parameters: { ...commonParameters(times), tag: 'http-message-signatures-directory' } },
    sign,
  )
}

/** Signs anything that RFC 9421 can cover, under a label. */
export function signatureFields(label: string, { components, parameters }: Covered, sign: Sign): SignatureFields {
  const input: InnerList = [components.map(identifierOf), new Map(Object.entries(parameters))]
  const lines = components.map((component) => `${serializeItem(identifierOf(component))}: ${component.value}`)
  // RFC 9421 §2.5: the signature base.
  const base = [...lines, `"@signature-params": ${serializeInnerList(input)}`].join('\n')
  return {
    'signature-input': serializeDictionary({ [label]: input }),
    signature: serializeDictionary({ [label]: [sign(base), new Map()] }),
  }
}

function identifierOf({ name, key, req }: Component): Item {
  return [name, new Map(Object.entries({ ...(key !== undefined && { key }), ...(req && { req }) }))]
}

function commonParameters({ keyid, now, expiresMs }: Pick<SignedRequest, 'keyid' | 'now' | 'expiresMs'>) {
  const [created, expires] = [now, now + expiresMs].map((at) => Math.floor(at / 1_000)) as [number, number]
  return { created, keyid, alg: 'ed25519', expires }
}
