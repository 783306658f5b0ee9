/** A number in a message, as its language writes it, with a real minus sign. Compiled catalogues call this. */
const formats: Record<string, Intl.NumberFormat> = {}

export function number(language: string, value: number, offset: number): string {
  return (formats[language] ??= new Intl.NumberFormat(language)).format(value - offset).replace("-", "−")
}
