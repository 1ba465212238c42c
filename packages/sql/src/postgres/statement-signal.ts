/** The used part of an `AbortSignal`. A statement has one of its own, which costs a fraction of one of the platform. */
export interface StatementSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
  throwIfAborted(): void
}
