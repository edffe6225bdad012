/** What views draw on in place of a canvas when a picture is wanted as SVG: the part of its methods that they call. */

const NAMES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => NAMES[sign]);
const short = (value: number) => String(Math.round(value * 100) / 100);

export class Sheet {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  font = "";
  textAlign = "left";
  globalAlpha = 1;
  private path = "";
  private dash = "";
  private readonly parts: string[] = [];

  constructor(private readonly screen: CanvasRenderingContext2D) {}

  setTransform(): void {}
  clearRect(): void {}

  setLineDash(dash: number[]): void {
    this.dash = dash.join(" ");
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`;
  }

  closePath(): void {
    this.path += "Z";
  }

  /** A whole circle: views draw no other arcs. */
  arc(x: number, y: number, radius: number): void {
    const r = short(radius);
    this.path += `M${short(x - radius)} ${short(y)}a${r} ${r} 0 1 0 ${short(2 * radius)} 0a${r} ${r} 0 1 0 ${short(-2 * radius)} 0Z`;
  }

  fill(): void {
    this.put(this.path, `fill="${this.fillStyle}" fill-opacity="${short(this.globalAlpha)}"`);
  }

  stroke(): void {
    const dash = this.dash ? ` stroke-dasharray="${this.dash}"` : "";
    this.put(this.path, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.put(box(x, y, width, height), `fill="${this.fillStyle}" fill-opacity="${short(this.globalAlpha)}"`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    const kept = this.path;
    this.path = box(x, y, width, height);
    this.stroke();
    this.path = kept;
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" fill="${this.fillStyle}" style="font:${this.font}">${escaped(text)}</text>`);
  }

  measureText(text: string): TextMetrics {
    this.screen.font = this.font;
    return this.screen.measureText(text);
  }

  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    this.parts.push(`<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" href="${image.toDataURL()}"/>`);
  }

  private put(path: string, look: string): void {
    if (path) this.parts.push(`<path d="${path}" ${look}/>`);
  }

  /** The whole picture; what is written beyond its border is cut off. */
  text(width: number, height: number, ground: string, words: string): string {
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
      `<title>${escaped(words)}</title><rect width="100%" height="100%" fill="${ground}"/>`,
      ...this.parts,
      "</svg>\n",
    ].join("\n");
  }
}

const box = (x: number, y: number, width: number, height: number) => `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
