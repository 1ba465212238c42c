/** What a platform or framework hands over beside a Fetch request: the context of Workers and of Vercel's functions fits. */
export interface FetchContext {
  /**
   * The address at the other end of the connection, as the framework has it: that of a proxy where there is one. It takes
   * precedence over the option `peerAddress`. Anything but a string is ignored.
   */
  readonly peerAddress?: string | null
  /**
   * The platform's `waitUntil`, on platforms that end what a request has started when its reply was sent: mails and other
   * work that no reply waits for would be lost there. It is given the reply too, so that what has begun is finished when
   * the client disconnects.
   */
  waitUntil?(work: Promise<unknown>): void
}

/** Reads what came after the request: a context, or as on Workers the environment and then the context. */
export function readFetchContext(besides: readonly unknown[]): FetchContext {
  const [first] = besides
  const waiting = besides.slice(0, 2).find(canWait)
  const address = isObject(first) && 'peerAddress' in first ? first.peerAddress : null
  return {
    peerAddress: typeof address === 'string' ? address : null,
    ...(waiting && { waitUntil: (work) => waiting.waitUntil(work) }),
  }
}

function canWait(value: unknown): value is Required<Pick<FetchContext, 'waitUntil'>> {
  return isObject(value) && 'waitUntil' in value && typeof value.waitUntil === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
