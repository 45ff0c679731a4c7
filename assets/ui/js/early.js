/**
 * Stops a timer of Gradio 6 that requests 60 frames a second without end. The timer belongs to Gradio's sign
 * "Loading…", and continues after Gradio has removed the sign. The page does not show the timer. This script is in the
 * page's head, because it must replace `requestAnimationFrame` before Gradio's first module stores the function.
 */
const draw = window.requestAnimationFrame.bind(window);
const TIMER = /performance\.now\(\)-.*\/1e3\),\w+&&\w+\(\)\}$/; // the source of the timer's function
window.requestAnimationFrame = (callback) => (TIMER.test(String(callback)) ? 0 : draw(callback));
