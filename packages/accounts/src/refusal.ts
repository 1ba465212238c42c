/** The one answer to whoever could not sign in, refresh, or show the current password: it tells nothing more. */
export interface Refusal {
  readonly status: 'refused'
  readonly code: 'INVALID_CREDENTIALS'
}

export const refusal: Refusal = Object.freeze({ status: 'refused', code: 'INVALID_CREDENTIALS' })
