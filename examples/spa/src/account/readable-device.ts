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

/** What people call a device. A user agent says little that is sure: this is a name, not a fact. */
export function readableDevice(userAgent: string | null): string {
  const find = (names: typeof browsers | typeof systems) => names.find(([, sign]) => sign.test(userAgent ?? ''))?.[0]
  return [find(browsers) ?? 'A device', find(systems)].filter(Boolean).join(' on ')
}
