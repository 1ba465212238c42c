/** Browsers keep no passkeys for an address such as 127.0.0.1. */
export function knowsPasskeys(): boolean {
  return !/^[\d.]+$|^\[/.test(location.hostname) && 'PublicKeyCredential' in window
}

/** This page under the name that passkeys on this machine belong to. */
export function passkeyAddress(): string {
  return location.href.replace(location.hostname, 'localhost')
}
