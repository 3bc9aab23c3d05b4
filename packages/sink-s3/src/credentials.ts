// Where the credentials of the sink come from. They are read whenever the sink opens, so new ones are used without a restart.
import { AvocetError } from '@avocet/core'

/** Credentials of an object store. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string
}

/** What `s3` may be given instead of the environment. */
export type CredentialsOption = S3Credentials | (() => S3Credentials | Promise<S3Credentials>)

/** As given, or from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Throws AVO_CONFIG_INVALID without their values. */
export async function credentialsOf(option: CredentialsOption | undefined): Promise<S3Credentials> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env
  const given = typeof option === 'function' ? await option() : option
  const { accessKeyId = AWS_ACCESS_KEY_ID, secretAccessKey = AWS_SECRET_ACCESS_KEY } = given ?? {}
  const sessionToken = given === undefined ? AWS_SESSION_TOKEN : given.sessionToken
  if (!isText(accessKeyId) || !isText(secretAccessKey))
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected credentials for S3, got no ${isText(accessKeyId) ? 'secret access key' : 'access key id'}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    )
  return { accessKeyId, secretAccessKey, ...(isText(sessionToken) && { sessionToken }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
