export interface CommandFailureOptions {
  /** 1: it could not be done. 2: its arguments are wrong. */
  readonly exitCode: 1 | 2
  /** The next step for the caller, as a sentence. */
  readonly next?: string
  readonly cause?: unknown
}

/** Stops the command with a message for its caller. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: 1 | 2
  readonly next: string | null

  constructor(message: string, { exitCode, next, cause }: CommandFailureOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
    this.next = next ?? null
  }
}

/** Returns what to print about an error, with its stack only for debugging. */
export function describeFailure(
  error: unknown,
  isDebugging: boolean,
): { readonly text: string; readonly exitCode: 1 | 2 } {
  const failure = error instanceof CommandFailure ? error : null
  const isExplained = failure !== null && (failure.exitCode === 2 || failure.cause === undefined)
  const lines = [
    reasons(error).join('\n'),
    ...(failure?.next ? [failure.next] : []),
    ...(isDebugging ? ['', ...stacks(error)] : []),
    // Wrong arguments and refusals need no stack; for other errors it may help.
    ...(isDebugging || isExplained ? [] : ['LATCHKEY_DEBUG=1 prints where this was thrown.']),
  ]
  return { text: `${lines.join('\n')}\n`, exitCode: failure?.exitCode ?? 1 }
}

/** Returns the messages of an error and its causes, without messages that an earlier message contains. */
function reasons(error: unknown): readonly string[] {
  const messages = chainOf(error).map((one) => (one instanceof Error ? one.message || one.name : String(one)))
  return messages.filter((message, index) => !messages.slice(0, index).some((before) => before.includes(message)))
}

function stacks(error: unknown): readonly string[] {
  return chainOf(error).map((one) => (one instanceof Error ? (one.stack ?? one.message) : String(one)))
}

/** An error and its causes; a circular chain is cut. */
function chainOf(error: unknown): readonly unknown[] {
  const chain = [error]
  for (let last = error; last instanceof Error && last.cause !== undefined && chain.length < 5; ) {
    last = last.cause
    chain.push(last)
  }
  return chain
}
