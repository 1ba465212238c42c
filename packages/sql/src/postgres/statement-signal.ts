/** The used part of an `AbortSignal`, for each statement: much cheaper than the platform's. */
export interface StatementSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
  throwIfAborted(): void
}
