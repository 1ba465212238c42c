/** Where something was opened from, for people to recognise it in a list. Neither field proves anything. */
export interface Device {
  /** The `User-Agent` header as it came; the first 256 characters are kept. */
  readonly userAgent: string | null
  /** The client's address; the first 64 characters are kept. */
  readonly address: string | null
}

/** What a header holds comes from outside: it is bounded before it is stored beside every session. */
export function boundDevice(device: Device | undefined): Device {
  return { userAgent: bound(device?.userAgent, 256), address: bound(device?.address, 64) }
}

function bound(text: string | null | undefined, length: number): string | null {
  return text ? text.slice(0, length).toWellFormed() : null
}
