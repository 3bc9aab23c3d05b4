// Why a request has failed. The crawl tries again, later.

/** An answer that is not 2xx, or no answer. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly status: number | undefined
  /** Epoch ms before which the receiver wants no other request (`Retry-After`). */
  readonly retryAt?: number

  /** The message has no secrets, and there is no cause, which could have them. */
  constructor(message: string, { status, retryAt }: { readonly status?: number; readonly retryAt?: number } = {}) {
    super(message)
    this.status = status
    if (retryAt !== undefined) this.retryAt = retryAt
  }
}
