/** Sounds of a table, made here from noise and tones: wood on wood, a stone's click, dice on felt, a pencil. */
import { settings } from "./settings.svelte"

export type Sound = "wood" | "stone" | "dice" | "pencil" | "turn" | "end"

/** A knock of filtered noise, or a tone that dies away; times in seconds, frequencies in hertz. */
interface Hit {
  of: "noise" | "tone"
  at: number
  hertz: number
  loud: number
  /** How long until it is gone. */
  lasts: number
  /** How narrow the noise is; a tone has none. */
  narrow?: number
  /** How long it takes to grow; nearly nothing for what is struck. */
  grows?: number
}

const noise = (at: number, hertz: number, narrow: number, loud: number, lasts: number, grows = 0.001): Hit => ({
  of: "noise",
  at,
  hertz,
  narrow,
  loud,
  lasts,
  grows,
})
const tone = (at: number, hertz: number, loud: number, lasts: number): Hit => ({ of: "tone", at, hertz, loud, lasts })

/** A wooden bar struck with a soft mallet: its note, and the overtone two octaves up that a bar has. */
const bar = (at: number, hertz: number): Hit[] => [
  tone(at, hertz, 0.22, 0.5),
  tone(at, hertz * 4, 0.05, 0.14),
  noise(at, 900, 1.5, 0.12, 0.03),
]

/** A die that hits felt: more thud than click, and softer every time. */
const bounce = (at: number, loud: number): Hit[] => [
  noise(at, 420, 1.2, loud, 0.05),
  noise(at, 2100, 3, loud * 0.45, 0.018),
  tone(at, 165, loud * 0.4, 0.06),
]

const stroke = (at: number, hertz: number, lasts: number): Hit[] => [
  noise(at, hertz, 1.4, 0.09, lasts, lasts * 0.35),
  noise(at, 900, 0.8, 0.03, lasts, lasts * 0.4),
]

const SOUNDS: Record<Sound, Hit[]> = {
  wood: [
    noise(0, 700, 2, 0.5, 0.035),
    noise(0, 1900, 4, 0.18, 0.02),
    tone(0, 210, 0.3, 0.09),
    tone(0, 512, 0.12, 0.05),
  ],
  stone: [
    noise(0, 3600, 2.5, 0.35, 0.012),
    tone(0, 2350, 0.1, 0.05),
    tone(0, 3710, 0.05, 0.035),
    noise(0.004, 520, 1, 0.16, 0.04),
  ],
  dice: [0, 0.06, 0.15, 0.23, 0.34, 0.43, 0.52].flatMap((at, hit) => bounce(at, 0.42 * 0.82 ** hit)),
  pencil: [...stroke(0, 4200, 0.09), ...stroke(0.11, 3500, 0.13)],
  turn: [...bar(0, 523.25), ...bar(0.12, 659.25)],
  end: [...bar(0, 392), ...bar(0.14, 523.25), ...bar(0.28, 659.25), ...bar(0.46, 783.99)],
}

let studio: { context: AudioContext; hiss: AudioBuffer; out: AudioNode } | null = null

/** Made when the first sound is played: browsers want a gesture of the person before. */
function open() {
  const context = new AudioContext()
  const hiss = context.createBuffer(1, context.sampleRate, context.sampleRate)
  const samples = hiss.getChannelData(0)
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1
  const out = context.createDynamicsCompressor()
  out.connect(context.destination)
  return { context, hiss, out }
}

/** Plays a sound, if the person likes sounds and has touched the page. */
export function play(sound: Sound): void {
  if (!settings.sound || !navigator.userActivation?.hasBeenActive) return
  studio ??= open()
  const { context } = studio
  if (context.state !== "running") void context.resume()
  // No two knocks of wood are the same.
  const pitch = 0.96 + Math.random() * 0.08
  const musical = sound === "turn" || sound === "end"
  for (const hit of SOUNDS[sound]) strike(studio, hit, musical ? 1 : pitch)
}

function strike({ context, hiss, out }: NonNullable<typeof studio>, hit: Hit, pitch: number): void {
  const begins = context.currentTime + 0.005 + hit.at
  const ends = begins + hit.lasts
  const loudness = context.createGain()
  loudness.gain.setValueAtTime(0.0001, begins)
  loudness.gain.linearRampToValueAtTime(hit.loud, begins + (hit.grows ?? 0.002))
  loudness.gain.exponentialRampToValueAtTime(0.0001, ends)
  loudness.connect(out)
  if (hit.of === "tone") {
    const source = new OscillatorNode(context, { frequency: hit.hertz * pitch })
    source.connect(loudness)
    source.start(begins)
    source.stop(ends)
  } else {
    const source = new AudioBufferSourceNode(context, { buffer: hiss })
    const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: hit.hertz * pitch, Q: hit.narrow ?? 1 })
    source.connect(filter).connect(loudness)
    source.start(begins, Math.random() * (1 - hit.lasts), hit.lasts)
  }
}
