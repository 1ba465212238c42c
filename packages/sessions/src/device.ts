import { isStoredText, type StoredCheck, storedObject, storedOrNull } from '@latchkey/store/internal'

/** The device of a sign-in, so that people recognise it in a list. Neither field is verified. */
export interface Device {
  /** The `User-Agent` header as received; the first 256 characters are stored. */
  readonly userAgent: string | null
  /** The client's address; the first 64 characters are stored. */
  readonly address: string | null
}

export const isStoredDevice: StoredCheck = storedObject({
  userAgent: storedOrNull(isStoredText),
  address: storedOrNull(isStoredText),
})

/** Bounds what comes from a request before it is stored with every session. */
export function boundDevice(device: Device | undefined): Device {
  return { userAgent: bound(device?.userAgent, 256), address: bound(device?.address, 64) }
}

function bound(text: string | null | undefined, length: number): string | null {
  return text ? text.slice(0, length).toWellFormed() : null
}
