const browsers = [
  ['Firefox', /Firefox\//],
  ['Edge', /Edg\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
  ['curl', /^curl\//],
] as const
const systems = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const

/** Returns a name for a device, for example `Firefox on Linux`. A client chooses its user agent, so the name is no proof. */
export function readableDevice(userAgent: string | null): string {
  const find = (names: typeof browsers | typeof systems) => names.find(([, sign]) => sign.test(userAgent ?? ''))?.[0]
  return [find(browsers) ?? 'A device', find(systems)].filter(Boolean).join(' on ')
}
