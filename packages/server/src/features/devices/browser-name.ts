/** The first that is found counts: most browsers name others as well. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPX|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|CriOS)\//, 'Chrome'],
  // Others call themselves Safari, too, but without a version of it.
  [/\bVersion\/[\d.]+ (?:Mobile(?:\/\w+)? )?Safari\//, 'Safari'],
] as const

const systems = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** Names of a browser and its system that people recognise. */
export interface BrowserName {
  readonly browser: string
  readonly system: string
}

/** Returns the names that a `User-Agent` claims, which is no proof; `null` if the browser or the system is unknown. */
export function browserName(userAgent: string): BrowserName | null {
  const [browser, system] = [find(browsers, userAgent), find(systems, userAgent)]
  return browser === null || system === null ? null : { browser, system }
}

function find(names: readonly (readonly [RegExp, string])[], userAgent: string): string | null {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
}
