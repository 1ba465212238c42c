/** Where a secret that is tested comes from: what limits on guessing count by. It holds no secret itself. */
export interface Attempt {
  /** The key of the client's address: an IPv4 address, or the /64 network of an IPv6 one. `null`: not known. */
  readonly address: string | null
  /** The id of the device that the request has shown to be known. `null`: an unknown one. */
  readonly device: string | null
  /** How it was sent: by a script of a page, by an application outside browsers, or by a form of this service. */
  readonly channel: 'cookie' | 'native' | 'page'
}

/** An attempt of a caller that says nothing of it: it counts as one of strangers. */
export const unknownAttempt: Attempt = Object.freeze({ address: null, device: null, channel: 'native' })
