// Why a request has failed, where one of its items may be to blame.

/** An answer that is not 2xx, or none after the request was sent. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly status: number | undefined

  /** The message has no secrets, and there is no cause, which could have them. */
  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}
