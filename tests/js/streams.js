/** Return a stream of these chunks. @template Piece @param {Piece[]} pieces @returns {ReadableStream<Piece>} */
export function streamOf(...pieces) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}
